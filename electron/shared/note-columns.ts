/** Columns this application adds to the files of refused rows, so that such a file can be dropped in again. */
export const NOTE_COLUMNS: readonly string[] = ['spandeck_line', 'spandeck_reason'];
