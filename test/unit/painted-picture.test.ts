/** The screenshot of a smoke run never shows an empty window. */
import { expect, test } from 'vitest';
import { paintedPicture } from '../../electron/platform/painted-picture.ts';

const WHITE = [255, 255, 255, 255];
const INK = [229, 70, 79, 255];
const pictureOf = (...pixels: number[][]) => ({ toBitmap: () => Buffer.from(pixels.flat()) });

function window(...pictures: object[]) {
  let taken = 0;
  let waits = 0;
  const picture = paintedPicture(
    async () => {
      taken += 1;
      return pictures[Math.min(taken, pictures.length) - 1];
    },
    async () => {
      waits += 1;
    },
  );
  return picture.then(({ image, isPainted }) => ({
    index: image === undefined ? -1 : pictures.indexOf(image),
    isPainted,
    taken,
    waits,
  }));
}

test('screenshots of one colour, and empty ones, are retaken until a frame was drawn', async () => {
  const blank = pictureOf(WHITE, WHITE, WHITE);
  const drawn = pictureOf(WHITE, WHITE, INK);
  expect(await window(pictureOf(), blank, blank, drawn)).toEqual({
    ...{ index: 3, isPainted: true, taken: 4, waits: 3 },
  });
});

test('waiting for a window that draws nothing is bounded', async () => {
  expect(await window(pictureOf(WHITE, WHITE))).toEqual({ index: 0, isPainted: false, taken: 50, waits: 49 });
});

test('a runtime whose screenshots have no pixels is trusted', async () => {
  expect(await window({})).toEqual({ index: 0, isPainted: true, taken: 1, waits: 0 });
});
