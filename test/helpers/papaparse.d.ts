/** The part of papaparse that tests and the benchmark use, because the package has no types. */
declare module 'papaparse' {
  interface StreamOptions<Row> {
    skipEmptyLines: boolean;
    chunk: (results: { data: Row[] }) => void;
    complete: () => void;
    error: (problem: Error) => void;
  }
  const papaparse: {
    parse<Row>(input: NodeJS.ReadableStream, options: StreamOptions<Row>): void;
    parse<Row>(text: string, options: { delimiter: string; newline?: string }): { data: Row[] };
  };
  export default papaparse;
}
