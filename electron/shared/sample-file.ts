/** Content of the sample workspace's file with problems: written by its generator, announced by the window. */
export const SAMPLE_FILE = {
  name: 'bank_bad.csv',
  rows: 3_000,
  /** Rows with a value that the model does not accept. */
  badRows: 4,
  /** Rows with a valid value outside of the ranges or categories of the model. */
  unusualRows: 4,
  /** Name of the model in the sample workspace whose columns it has. */
  model: 'Bank churn',
} as const;
