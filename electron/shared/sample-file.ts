/** Contents of the sample workspace's file with problems. The generator writes them, and the window announces them. */
export const SAMPLE_FILE = {
  name: 'bank_bad.csv',
  rows: 3_000,
  /** Rows with a value that the model does not accept. */
  badRows: 4,
  /** Rows with a valid value outside of the ranges or categories of the model. */
  unusualRows: 4,
  /** Name of the model in the sample workspace that has the columns of the file. */
  model: 'Bank churn',
} as const;
