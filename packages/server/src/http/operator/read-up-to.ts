/** Stops reading after the maximum, because longer bodies are refused. */
export async function readUpTo(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let lengthBytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    lengthBytes += chunk.length;
    if (lengthBytes > maxBytes) break;
  }
  return Buffer.concat(chunks);
}
