/** Captures a page after it was painted: a page can be ready before the compositor has drawn its first frame. */
import { methodOf } from './runtime-parts.ts';

const MAX_PICTURES = 50;

/**
 * Captures repeatedly, with `wait` in between, until the image has more than one colour; after 50 attempts, returns the
 * last image.
 */
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

/** Whether all pixels are equal, or there are no pixels. False if the runtime provides none. */
function isBlank(image: unknown): boolean {
  const pixels = methodOf(image, 'toBitmap')?.();
  return Buffer.isBuffer(pixels) && pixels.subarray(4).equals(pixels.subarray(0, -4));
}
