import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { PatchError } from "../patch-error.ts";
import type { ScriptReader } from "../script-reader.ts";
import { EDITS } from "./edit-script.ts";
import type { LineReader } from "./line-reader.ts";

const CHUNK_BYTES = 1 << 16;

/**
 * Yields the result's text. Every line of the base is used at most once, so the result is at most as long as the base and
 * the script together. Bytes are copied out of the chunks that they came in: keeping slices would keep the chunks, too, and
 * millions of tiny slices take far more memory than their bytes. Every edit changes something, so the number of edits is
 * bounded by the base and the script as well.
 */
export async function* applyScript(base: LineReader, script: ScriptReader): AsyncGenerator<Buffer> {
  const text = new ByteList(2 * CHUNK_BYTES);
  const flush = () => {
    const chunk = Buffer.from(text.view());
    text.clear();
    return chunk;
  };
  for (let edit = await script.nextEdit(); edit !== undefined; edit = await script.nextEdit()) {
    const number = edit.varint();
    const kind = number % 4;
    const argument = (number - kind) / 4;
    if (kind !== EDITS.replace && argument === 0) throw withoutEffect();
    if (kind === EDITS.insert) {
      text.pushBytes(await script.take(argument));
    } else if (kind === EDITS.replace) {
      const suffix = edit.varint();
      const middle = edit.varint();
      const old = base.next() ?? ((await base.fill()) ? base.next() : undefined);
      if (old === undefined) throw pastTheEnd();
      if (argument + suffix > old.length) throw new PatchError("invalid", "the patch keeps more of a line than it has");
      if (argument + suffix + middle === 0) throw withoutEffect();
      text.pushBytes(old.subarray(0, argument));
      text.pushBytes(await script.take(middle));
      text.pushBytes(old.subarray(old.length - suffix));
    } else {
      for (let left = argument; left > 0; ) {
        const { bytes, lines } = base.take(left);
        left -= lines;
        if (kind === EDITS.copy) text.pushBytes(bytes);
        if (text.length >= CHUNK_BYTES) yield flush();
        if (left > 0 && !(await base.fill())) throw pastTheEnd();
      }
    }
    if (text.length >= CHUNK_BYTES) yield flush();
  }
  yield flush();
}

function pastTheEnd(): PatchError {
  return new PatchError("invalid", "the patch reads past the end of the base");
}

function withoutEffect(): PatchError {
  return new PatchError("invalid", "the patch contains an edit of no bytes or lines");
}
