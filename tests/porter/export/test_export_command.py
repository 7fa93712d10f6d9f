# SPDX-License-Identifier: Apache-2.0
"""`porter export` as people call it: what it lists, writes, refuses, and leaves alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import Result

from porter.errors import ExitCode
from tests.porter.command import porter, valid
from tests.porter.export.checkouts import DISPATCH, PLAIN, git, of_generation
from tests.porter.manifests import manifest_of

TARGETS = ("aiter", "mslk", "primus")
BY_ROW = "aiter/ops/flydsl_blockscale/by_row.py"


def tree(root: Path) -> dict[str, str]:
    """Every file below a folder."""
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }


def export(target: str, manifest: Path, *arguments: object) -> Result:
    return porter("export", target, "--manifest", manifest, *arguments)


@pytest.mark.parametrize("target", TARGETS)
def test_a_dry_run_lists_every_file_and_writes_none(target: str, manifest: Path, tmp_path: Path) -> None:
    root = of_generation(tmp_path / "checkout", "newer")
    more = ("--aiter-root", root, "--replace", "all") if target == "aiter" else ()
    out = tmp_path / "out"
    listed = export(target, manifest, "--out", out, "--dry-run", *more)
    assert listed.exit_code == ExitCode.GOOD and not out.exists()
    assert listed.output.splitlines()[-1].endswith("files, none written")
    written = export(target, manifest, "--out", out, *more)
    assert written.exit_code == ExitCode.GOOD
    files = tree(out)
    assert len(files) > 8 and ("aiter.patch" in files) is (target == "aiter")
    shown = [line for line in listed.output.splitlines() if line.startswith(str(out))]
    assert sorted(shown) == sorted(str(out / path) for path in files)
    assert written.output.splitlines()[-1] == f"porter export {target}: {len(files)} files"
    # Once more is the same.
    assert export(target, manifest, "--out", out, *more).exit_code == ExitCode.GOOD and tree(out) == files


@pytest.mark.parametrize("target", TARGETS)
def test_json_keeps_to_its_schema(target: str, manifest: Path, tmp_path: Path, repository: Path) -> None:
    more = ("--aiter-root", of_generation(tmp_path / "checkout", "older")) if target == "aiter" else ()
    result = export(target, manifest, "--out", tmp_path / "out", "--format", "json", "--dry-run", *more)
    data = valid(result, "export", repository)
    assert (data["target"], data["written"]) == (target, False)
    assert bool(data["rows"]) is bool(data["patch"]) is (target == "aiter")


def test_the_checkout_is_only_read(manifest: Path, tmp_path: Path) -> None:
    root = of_generation(tmp_path / "checkout", "newer")
    before = tree(root)
    result = export("aiter", manifest, "--aiter-root", root, "--out", tmp_path / "out", "--replace", "all")
    assert result.exit_code == ExitCode.GOOD and tree(root) == before


def test_the_patch_is_printed(manifest: Path, tmp_path: Path) -> None:
    root = of_generation(tmp_path / "checkout", "newer")
    result = export("aiter", manifest, "--aiter-root", root, "--out", tmp_path / "out", "--diff")
    assert not (tmp_path / "out").exists()
    patch = tmp_path / "printed.patch"
    patch.write_text(result.stdout)
    assert result.stdout.startswith(f"--- a/{DISPATCH}\n")
    assert git(root, "apply", "--check", str(patch)).returncode == 0


def test_apply_writes_into_the_checkout_once(manifest: Path, tmp_path: Path) -> None:
    root = of_generation(tmp_path / "checkout", "older")
    patched = of_generation(tmp_path / "patched", "older")
    arguments = ("--aiter-root", root, "--replace", "all")
    export("aiter", manifest, *arguments, "--out", tmp_path / "out")
    assert git(patched, "apply", str(tmp_path / "out" / "aiter.patch")).returncode == 0
    shutil.copytree(tmp_path / "out" / "aiter", patched / "aiter", dirs_exist_ok=True)
    assert export("aiter", manifest, *arguments, "--apply").exit_code == ExitCode.GOOD
    # Both ways give the same checkout.
    assert tree(root) == tree(patched)
    again = export("aiter", manifest, *arguments, "--apply", "--format", "json")
    assert json.loads(again.stdout)["patch"] == "" and tree(root) == tree(patched)
    assert f"{DISPATCH} is already patched" in json.loads(again.stdout)["notes"]


def test_somebody_elses_file_is_not_replaced(manifest: Path, tmp_path: Path) -> None:
    root = of_generation(tmp_path / "checkout", "newer")
    (root / BY_ROW).parent.mkdir(parents=True)
    (root / BY_ROW).write_text("# theirs\n")
    before = tree(root)
    result = export("aiter", manifest, "--aiter-root", root, "--apply")
    assert result.exit_code == ExitCode.BAD_INPUT and "CKE004" in result.stderr and BY_ROW in result.stderr
    assert tree(root) == before


def test_an_unknown_generation_is_refused_with_its_line(manifest: Path, tmp_path: Path) -> None:
    root = of_generation(tmp_path / "checkout", "older")
    text = (root / DISPATCH).read_text().replace("get_CKGEMM_config(m", "find_row(m")
    (root / DISPATCH).write_text(text)
    result = export("aiter", manifest, "--aiter-root", root, "--out", tmp_path / "out")
    line = 1 + text[: text.index("def gemm_a8w8_blockscale_bpreshuffle(")].count("\n")
    assert result.exit_code == ExitCode.BAD_INPUT
    assert f"{root / DISPATCH}:{line}: " in result.stderr and "CKE003" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_no_checkout_is_refused(manifest: Path, tmp_path: Path) -> None:
    result = export("aiter", manifest, "--aiter-root", tmp_path, "--out", tmp_path / "out")
    assert result.exit_code == ExitCode.BAD_INPUT and "CKE003" in result.stderr


def test_apply_needs_a_checkout(manifest: Path) -> None:
    assert export("aiter", manifest, "--apply").exit_code == ExitCode.BAD_INPUT


def test_a_damaged_table_of_the_checkout_is_refused(manifest: Path, tmp_path: Path) -> None:
    root = of_generation(tmp_path / "checkout", "newer")
    (root / PLAIN).write_bytes(b"gfx,cu_num,M,N,K\xff\n")
    result = export("aiter", manifest, "--aiter-root", root, "--out", tmp_path / "out")
    assert result.exit_code == ExitCode.BAD_INPUT and "[CKP" in result.stderr


@pytest.mark.parametrize("target", TARGETS)
def test_edited_kernels_and_bad_manifests_are_refused(target: str, manifest: Path, tmp_path: Path) -> None:
    folder = tmp_path / "generated"
    shutil.copytree(manifest.parent, folder, ignore=shutil.ignore_patterns("__pycache__"))
    kernel = next(folder.glob("flydsl_*_plain_*.py"))
    kernel.write_text(kernel.read_text() + "# mine\n")
    result = export(target, folder / "manifest.json", "--out", tmp_path / "out")
    assert result.exit_code == ExitCode.BAD_INPUT and "CKE002" in result.stderr and kernel.name in result.stderr
    kernel.unlink()
    assert "CKE002" in export(target, folder / "manifest.json").stderr
    for text, code in ((manifest_of({}), "CKE001"), ("{}", "CKP062")):
        (folder / "manifest.json").write_text(text)
        result = export(target, folder / "manifest.json", "--out", tmp_path / "out")
        assert result.exit_code == ExitCode.BAD_INPUT and code in result.stderr, text
    assert not (tmp_path / "out").exists()
