/** A file in an archive, and the directory it is in. Both names are ASCII and at most 99 characters long. */
export interface TarFile {
  directory: string;
  name: string;
  sizeBytes: number;
  modified: Date;
}

const BLOCK_BYTES = 512;
/** Larger sizes don't fit into the header's octal digits. */
const OCTAL_SIZE_MAX = 8 ** 11 - 1;

/** A tar archive (POSIX ustar) of one file in a directory. The same file always results in the same bytes. */
export async function* tarOf(file: TarFile, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { directory, name, sizeBytes, modified } = file;
  yield header({ directory: "", name: `${directory}/`, type: "5", mode: "0000755", sizeBytes: 0, modified });
  yield header({ directory, name, type: "0", mode: "0000644", sizeBytes, modified });
  yield* content;
  const paddingBytes = (BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES;
  // Two empty blocks end the archive.
  yield Buffer.alloc(paddingBytes + 2 * BLOCK_BYTES);
}

interface Entry extends TarFile {
  type: "0" | "5";
  mode: string;
}

function header({ directory, name, type, mode, sizeBytes, modified }: Entry): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  block.write(name, 0, 100, "latin1");
  block.write(mode, 100);
  block.write("0000000", 108);
  block.write("0000000", 116);
  if (sizeBytes <= OCTAL_SIZE_MAX) block.write(octal(sizeBytes), 124);
  else {
    // GNU tar's binary form, which every current reader knows.
    block[124] = 0x80;
    block.writeBigUInt64BE(BigInt(sizeBytes), 128);
  }
  block.write(octal(Math.floor(modified.getTime() / 1000)), 136);
  // The checksum is computed with spaces in its place.
  block.write("        ", 148);
  block.write(type, 156);
  block.write("ustar\x0000", 257, "latin1");
  block.write(directory, 345, 155, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

function octal(value: number): string {
  return value.toString(8).padStart(11, "0");
}
