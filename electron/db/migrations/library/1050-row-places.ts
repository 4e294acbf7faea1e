import type { Migration } from '../../migrate.ts';

export const rowPlaces: Migration = {
  number: 1_050,
  name: 'where a row with an identity may lie',
  sql: `
    -- An index of identities costs more with every row of the list: 1,000 new ones change half of its pages.
    DROP INDEX list_row_by_identity;
    -- Hashes of identities in order of position, four bytes each; 0 where there is none. Only a hint: what lies there
    -- may be another row by now, and is looked at. Every row that was written has one.
    CREATE TABLE row_place (
      id INTEGER PRIMARY KEY,
      generation_id INTEGER NOT NULL REFERENCES generation (id) ON DELETE CASCADE,
      from_position INTEGER NOT NULL,
      hashes BLOB NOT NULL
    ) STRICT;
    CREATE INDEX row_place_by_generation ON row_place (generation_id, id);
  `,
};
