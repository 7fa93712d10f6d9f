# SPDX-License-Identifier: Apache-2.0
"""docs/rules.md is what the rules say."""

from __future__ import annotations

from porter.rewrite_rules import HINTS, all_rules
from porter.rewrite_rules.docs import rules_page


def test_the_page_is_fresh(repository):
    page = (repository / "docs" / "rules.md").read_text()
    assert page == rules_page(), "run: make generate"


def test_every_refusal_has_a_case():
    # CKR211 depends on the selection of rules, not on a file: test_runner has it.
    refused = {case.refused for rule in all_rules() for case in rule.REFUSED}
    assert refused | {"CKR211"} == set(HINTS)
