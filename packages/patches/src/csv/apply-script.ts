import { PatchError } from "../patch-error.ts";
import { EDITS } from "./edit-script.ts";
import type { LineReader } from "./line-reader.ts";
import type { ScriptReader } from "./script-reader.ts";

const CHUNK_BYTES = 1 << 16;

/**
 * Yields the result's text. Every line of the base is used at most once, so the result is at most as long as the base and
 * the script together.
 */
export async function* applyScript(base: LineReader, script: ScriptReader): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let sizeBytes = 0;
  const push = (bytes: Buffer) => {
    parts.push(bytes);
    sizeBytes += bytes.length;
  };
  const flush = () => {
    const chunk = Buffer.concat(parts, sizeBytes);
    parts = [];
    sizeBytes = 0;
    return chunk;
  };
  for (let edit = await script.nextEdit(); edit !== undefined; edit = await script.nextEdit()) {
    const number = edit.varint();
    const kind = number % 4;
    const argument = (number - kind) / 4;
    if (kind === EDITS.insert) {
      push(await script.take(argument));
    } else if (kind === EDITS.replace) {
      const suffix = edit.varint();
      const middle = edit.varint();
      const old = base.next() ?? ((await base.fill()) ? base.next() : undefined);
      if (old === undefined) throw pastTheEnd();
      if (argument + suffix > old.length) throw new PatchError("invalid", "the patch keeps more of a line than it has");
      push(old.subarray(0, argument));
      push(await script.take(middle));
      push(old.subarray(old.length - suffix));
    } else {
      for (let left = argument; left > 0; ) {
        const { bytes, lines } = base.take(left);
        left -= lines;
        if (kind === EDITS.copy) push(bytes);
        if (sizeBytes >= CHUNK_BYTES) yield flush();
        if (left > 0 && !(await base.fill())) throw pastTheEnd();
      }
    }
    if (sizeBytes >= CHUNK_BYTES) yield flush();
  }
  yield flush();
}

function pastTheEnd(): PatchError {
  return new PatchError("invalid", "the patch reads past the end of the base");
}
