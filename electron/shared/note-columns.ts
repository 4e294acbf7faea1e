/** Columns that this application adds to files of rejected rows, recognized when such a file is imported again. */
export const NOTE_COLUMNS: readonly string[] = ['spandeck_line', 'spandeck_reason'];
