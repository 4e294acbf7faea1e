/** The picture of a smoke run: not of a window that has drawn nothing yet. */
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

test('pictures of one colour, and empty ones, are taken again until a frame was drawn', async () => {
  const blank = pictureOf(WHITE, WHITE, WHITE);
  const drawn = pictureOf(WHITE, WHITE, INK);
  expect(await window(pictureOf(), blank, blank, drawn)).toEqual({
    ...{ index: 3, isPainted: true, taken: 4, waits: 3 },
  });
});

test('a window that draws nothing is not waited for without end', async () => {
  expect(await window(pictureOf(WHITE, WHITE))).toEqual({ index: 0, isPainted: false, taken: 50, waits: 49 });
});

test('a runtime whose pictures show no pixels is believed', async () => {
  expect(await window({})).toEqual({ index: 0, isPainted: true, taken: 1, waits: 0 });
});
