import type { FileKind, Format } from "@dbdepot/contract/shared/formats";
import type { BuildState } from "../../../domain/builds/build.ts";
import type { Visibility } from "../../../domain/catalogue/family.ts";
import type { SharedFile } from "../../../domain/sharing/shared-table.ts";
import type { Flag, Json, Revised, Time } from "./columns.ts";

/** Databases, their builds, and what is made from builds. */
export interface CatalogueTables {
  families: Revised & {
    base: string;
    name: string;
    visibility: Visibility;
    created: Time;
    archived: Time | null;
    open: Flag;
  };
  versions: Revised & {
    id: string;
    base: string;
    number: number;
    summary: string;
    formats: Json;
    current_build_id: string | null;
    created: Time;
    archived: Time | null;
    recompress: Flag;
    tables: Flag;
  };
  builds: Revised & {
    id: string;
    version_id: string;
    state: BuildState;
    metadata: Uint8Array;
    updated: string;
    entries: number;
    created: Time;
    published: Time | null;
    withdrawn: Time | null;
    withdrawn_reason: string | null;
    previous_build_id: string | null;
    superseded: Time | null;
  };
  build_files: {
    build_id: string;
    /** Servers without support for samples ignore their rows. */
    format: FileKind;
    object_key: string;
    size_bytes: number;
    md5: string;
    sha1: string;
    sha256: string;
    sha512: string;
    findings: Json | null;
  };
  build_changes: {
    from_build_id: string;
    to_build_id: string;
    created: Time;
    outcome: Json | null;
    added: number | null;
    removed: number | null;
    changed: number | null;
    /** Used by servers before 0028 only. */
    attempts: number;
  };
  patches: Revised & {
    id: string;
    version_id: string;
    build_id: string;
    /** Null for a compressed copy. */
    base_build_id: string | null;
    format: Format;
    base_sha256: string;
    object_key: string | null;
    size_bytes: number | null;
    sha256: string | null;
    reason: string | null;
    duration_ms: number;
    created: Time;
  };
  shared_tables: {
    version_id: string;
    number: number;
    build_id: string;
    base_build_id: string | null;
    columns: Json;
    no_changes: string | null;
    change_files: number;
    created: Time;
  };
  shared_files: {
    id: string;
    version_id: string;
    build_id: string;
    content: SharedFile["content"];
    number: number | null;
    object_key: string;
    size_bytes: number;
    sha256: string;
    rows: number;
    created: Time;
    obsolete: Time | null;
  };
  signing_keys: Revised & {
    key_id: string;
    public_key: string;
    created: Time;
    expires: Time | null;
    endorsement: string | null;
    endorsement_signature: string | null;
    imported: Flag;
  };
  freshness_keys: Revised & {
    key_id: string;
    public_key: string;
    created: Time;
    expires: Time;
    replaced: Time | null;
    revoked: Flag;
    endorsement: string;
    endorsement_signature: string;
    imported: Flag;
  };
  freshness_statements: Revised & {
    version_id: string;
    sequence: number;
    body: string;
    signature: string;
    key_id: string;
    issued: Time;
    valid_until: Time;
    renewal: Time;
  };
  manifests: Revised & {
    version_id: string;
    sequence: number;
    build_id: string | null;
    body: string;
    signature: string;
    key_id: string;
    created: Time;
  };
}
