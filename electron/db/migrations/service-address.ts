/** Adds to every store with jobs the address of the service for which the jobs were made. */
export const SERVICE_TABLE = `
  CREATE TABLE service (
    id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
    address TEXT NOT NULL
  ) STRICT;
`;
