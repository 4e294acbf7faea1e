/** Base64 text of binary content. Pure. */

/** Converts in chunks, as the number of arguments of a call is limited. */
export async function base64Of(content: Blob): Promise<string> {
  const bytes = new Uint8Array(await content.arrayBuffer());
  const pieces = Array.from({ length: Math.ceil(bytes.length / 8_192) }, (_, index) =>
    String.fromCharCode(...bytes.subarray(index * 8_192, (index + 1) * 8_192)),
  );
  return btoa(pieces.join(''));
}
