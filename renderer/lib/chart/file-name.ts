/** File names for saved charts. Pure. */

/** The title, with hyphens for characters that file names should not contain. */
export const chartFileName = (title: string): string =>
  title.replace(/[^\p{L}\p{N}.-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '') || 'chart';
