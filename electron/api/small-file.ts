/** Reads a small file whose path was typed, and which may be a pipe, a device, or something huge. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Opening a pipe must not block. Windows does not have the flag, and does not block. */
export const READ_WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Rejects unless the path is a regular file of at most this many bytes, even if it grows while it is being read. */
export async function readSmallFile(path: string, maxBytes: number): Promise<Buffer> {
  const handle = await open(path, READ_WITHOUT_WAITING);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new Error('not a regular file');
    if (found.size > maxBytes) throw new Error(`larger than ${maxBytes} bytes`);
    const bytes = Buffer.allocUnsafeSlow(maxBytes + 1);
    let length = 0;
    while (length <= maxBytes) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, null);
      if (bytesRead === 0) return bytes.subarray(0, length);
      length += bytesRead;
    }
    throw new Error(`larger than ${maxBytes} bytes`);
  } finally {
    await handle.close();
  }
}
