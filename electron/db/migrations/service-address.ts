/** Every store with jobs names the service for which they were made. */
export const SERVICE_TABLE = `
  CREATE TABLE service (
    id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
    address TEXT NOT NULL
  ) STRICT;
`;
