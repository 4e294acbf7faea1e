/** The picture of a page once there is one: a page can be ready before the compositor has drawn its first frame. */
import { methodOf } from './runtime-parts.ts';

const MAX_PICTURES = 50;

/** Takes pictures, with `wait` between them, until one has more than one colour; after 50 of them the last one. */
export async function paintedPicture<Image>(
  capture: () => Promise<Image>,
  wait: () => Promise<unknown>,
): Promise<{ image: Image; isPainted: boolean }> {
  let image = await capture();
  for (let taken = 1; taken < MAX_PICTURES && isBlank(image); taken += 1) {
    await wait();
    image = await capture();
  }
  return { image, isPainted: !isBlank(image) };
}

/** No pixel differs from the one before it, or there is none. False where the runtime shows no pixels. */
function isBlank(image: unknown): boolean {
  const pixels = methodOf(image, 'toBitmap')?.();
  return Buffer.isBuffer(pixels) && pixels.subarray(4).equals(pixels.subarray(0, -4));
}
