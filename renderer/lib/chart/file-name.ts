/** Names of files that charts are saved as. Pure. */

/** The title with hyphens for what file names should not contain. */
export const chartFileName = (title: string): string =>
  title.replace(/[^\p{L}\p{N}.-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '') || 'chart';
