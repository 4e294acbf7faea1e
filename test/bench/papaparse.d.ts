/** The part of papaparse that the benchmark uses; the package brings no types. */
declare module 'papaparse' {
  interface StreamOptions<Row> {
    skipEmptyLines: boolean;
    chunk: (results: { data: Row[] }) => void;
    complete: () => void;
    error: (problem: Error) => void;
  }
  const papaparse: { parse<Row>(input: NodeJS.ReadableStream, options: StreamOptions<Row>): void };
  export default papaparse;
}
