# SPDX-License-Identifier: Apache-2.0
"""What the schema of SARIF 2.1.0 (OASIS standard, sections 3.13 to 3.58) says of the objects that porter writes.

In our own words. Every property that the standard gives to such an object is named, and refused where it is not;
those that porter writes have the standard's types, bounds and enumerations, the others may hold anything. Compared
once with the standard's own schema, 2.1.0 rtm.5: the same names, requirements and, where porter writes, the same rules.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def _object(used: Schema, others: str, required: str = "", either: str = "") -> Schema:
    """An object of the standard: properties that porter writes, names of the others, those that must be there, and
    those of which one must."""
    schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {**dict.fromkeys(["properties", *others.split()], True), **used},
        "required": required.split(),
    }
    return {**schema, "anyOf": [{"required": [name]} for name in either.split()]} if either else schema


def _of(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _list(name: str, **more: Any) -> Schema:
    return {"type": "array", "items": _of(name), **more}


def _whole(least: int) -> Schema:
    return {"type": "integer", "minimum": least}


TEXT, TRUTH, URI = {"type": "string"}, {"type": "boolean"}, {"type": "string", "format": "uri-reference"}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
BAG = {"type": "object", "properties": {"tags": {"type": "array", "items": TEXT, "uniqueItems": True}}}

_OBJECTS: dict[str, Schema] = {
    "run": _object(
        {
            "tool": _of("tool"),
            "invocations": _list("invocation"),
            "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
            "originalUriBaseIds": {"type": "object", "additionalProperties": _of("artifactLocation")},
            "results": _list("result"),
        },
        "conversion language versionControlProvenance artifacts logicalLocations graphs automationDetails "
        "runAggregates baselineGuid redactionTokens defaultEncoding defaultSourceLanguage newlineSequences "
        "externalPropertyFileReferences threadFlowLocations taxonomies addresses translations policies webRequests "
        "webResponses specialLocations",
        required="tool",
    ),
    "tool": _object({"driver": _of("toolComponent")}, "extensions", required="driver"),
    "toolComponent": _object(
        {
            "name": TEXT,
            "version": TEXT,
            "semanticVersion": TEXT,
            "rules": _list("reportingDescriptor", uniqueItems=True),
        },
        "guid organization product productSuite shortDescription fullDescription fullName dottedQuadFileVersion "
        "releaseDateUtc downloadUri informationUri globalMessageStrings notifications taxa locations language "
        "contents isComprehensive localizedDataSemanticVersion minimumRequiredLocalizedDataSemanticVersion "
        "associatedComponent translationMetadata supportedTaxonomies",
        required="name",
    ),
    "reportingDescriptor": _object(
        {
            "id": TEXT,
            "name": TEXT,
            **dict.fromkeys(("shortDescription", "fullDescription", "help"), _of("multiformatMessageString")),
            "defaultConfiguration": _of("reportingConfiguration"),
        },
        "deprecatedIds guid deprecatedGuids deprecatedNames messageStrings helpUri relationships",
        required="id",
    ),
    "multiformatMessageString": _object({"text": TEXT}, "markdown", required="text"),
    "reportingConfiguration": _object({"level": LEVEL}, "enabled rank parameters"),
    "invocation": _object(
        {
            "executionSuccessful": TRUTH,
            "exitCode": {"type": "integer"},
            "exitCodeDescription": TEXT,
            "toolExecutionNotifications": _list("notification"),
        },
        "commandLine arguments responseFiles startTimeUtc endTimeUtc ruleConfigurationOverrides "
        "notificationConfigurationOverrides toolConfigurationNotifications exitSignalName exitSignalNumber "
        "processStartFailureMessage machine account processId executableLocation workingDirectory "
        "environmentVariables stdin stdout stderr stdoutStderr",
        required="executionSuccessful",
    ),
    "notification": _object(
        {"level": LEVEL, "message": _of("message"), "associatedRule": _of("reportingDescriptorReference")},
        "locations threadId timeUtc exception descriptor",
        required="message",
    ),
    "reportingDescriptorReference": _object(
        {"id": TEXT, "index": _whole(-1)}, "guid toolComponent", either="index guid id"
    ),
    "result": _object(
        {
            "ruleId": TEXT,
            "ruleIndex": _whole(-1),
            "rule": _of("reportingDescriptorReference"),
            "level": LEVEL,
            "message": _of("message"),
            "locations": _list("location"),
            "partialFingerprints": {"type": "object", "additionalProperties": TEXT},
            "properties": BAG,
        },
        "kind analysisTarget guid correlationGuid occurrenceCount fingerprints stacks codeFlows graphs "
        "graphTraversals relatedLocations suppressions baselineState rank attachments hostedViewerUri workItemUris "
        "provenance fixes taxa webRequest webResponse",
        required="message",
    ),
    "message": _object({"text": TEXT}, "markdown id arguments", either="text id"),
    "location": _object(
        {"physicalLocation": _of("physicalLocation"), "logicalLocations": _list("logicalLocation", uniqueItems=True)},
        "id message annotations relationships",
    ),
    "physicalLocation": _object(
        {"artifactLocation": _of("artifactLocation"), "region": _of("region")},
        "address contextRegion",
        either="address artifactLocation",
    ),
    "artifactLocation": _object({"uri": URI, "uriBaseId": TEXT, "description": _of("message")}, "index"),
    "region": _object(
        dict.fromkeys(("startLine", "startColumn", "endColumn"), _whole(1)),
        "endLine charOffset charLength byteOffset byteLength snippet message sourceLanguage",
    ),
    "logicalLocation": _object({"name": TEXT, "kind": TEXT}, "index fullyQualifiedName decoratedName parentIndex"),
}

STANDARD: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **_object(
        {"$schema": {"type": "string", "format": "uri"}, "version": {"const": "2.1.0"}, "runs": _list("run")},
        "inlineExternalProperties",
        required="version runs",
    ),
    "$defs": _OBJECTS,
}
