/** Catalog entities and their distinct values. */
import type { PageRequest } from './envelope.ts';
import type { Sqlite } from './store.ts';

interface EntityRow {
  id: string;
  application_id: string;
  entity_type: string;
  name: string;
  semantic_name: string;
  data_type: string;
  scope: string;
  first_seen: string;
  last_seen: string;
  row_count: number;
}

interface ValueRow {
  value: string;
  first_seen: string;
  last_seen: string;
  row_count: number;
}

interface CatalogQuery extends PageRequest {
  applicationId: string;
  entityType: string | null;
  /** An empty list selects everything. */
  dataTypes: readonly string[];
  semanticNames: readonly string[];
  search: string | null;
}

export interface RowPage<T> {
  items: T[];
  total: number;
}

export interface CatalogStore {
  addEntity(entity: EntityRow): number | bigint;
  addValue(entityId: number | bigint, value: ValueRow): void;
  entities(query: CatalogQuery): RowPage<Omit<EntityRow, 'id' | 'application_id' | 'entity_type' | 'scope'>>;
  /** Null if the application has no such entity. */
  values(
    query: PageRequest & { applicationId: string; entityType: string; name: string; search: string | null },
  ): RowPage<ValueRow> | null;
  /** Entities of type `attribute`, of one application or of all. */
  attributes(): EntityRow[];
  removeApplication(applicationId: string): void;
}

/**
 * Adds a case-insensitive search for a part of a text in any script, because SQLite's LIKE ignores case only for ASCII.
 */
function addSearchFunction(db: Sqlite): void {
  db.function('contains_ignoring_case', { deterministic: true }, (text: unknown, part: unknown) =>
    String(text).toLowerCase().includes(String(part).toLowerCase()) ? 1 : 0,
  );
}

export function createCatalogStore(db: Sqlite): CatalogStore {
  addSearchFunction(db);
  const insertEntity = db.prepare(
    `INSERT INTO entity (id, application_id, entity_type, name, semantic_name, data_type, scope, first_seen, last_seen, row_count)
     VALUES (@id, @application_id, @entity_type, @name, @semantic_name, @data_type, @scope, @first_seen, @last_seen, @row_count)`,
  );
  const insertValue = db.prepare(
    'INSERT INTO entity_value (entity_id, value, first_seen, last_seen, row_count) VALUES (?, ?, ?, ?, ?)',
  );
  const where = `application_id = @applicationId
    AND (@entityType IS NULL OR entity_type = @entityType)
    AND (@dataTypes = '[]' OR data_type IN (SELECT value FROM json_each(@dataTypes)))
    AND (@semanticNames = '[]' OR semantic_name IN (SELECT value FROM json_each(@semanticNames)))
    AND (@search IS NULL OR contains_ignoring_case(name, @search))`;
  const countEntities = db.prepare<[object], { total: number }>(
    `SELECT count(*) AS total FROM entity WHERE ${where}`,
  );
  const pageOfEntities = db.prepare<[object], EntityRow>(
    `SELECT name, semantic_name, data_type, first_seen, last_seen, row_count FROM entity WHERE ${where}
     ORDER BY name, entity_type LIMIT @limit OFFSET @offset`,
  );
  const findEntity = db.prepare<[string, string, string], { entity_id: number }>(
    'SELECT entity_id FROM entity WHERE application_id = ? AND entity_type = ? AND name = ?',
  );
  const valuesWhere = 'entity_id = @entityId AND (@search IS NULL OR contains_ignoring_case(value, @search))';
  const countValues = db.prepare<[object], { total: number }>(
    `SELECT count(*) AS total FROM entity_value WHERE ${valuesWhere}`,
  );
  const pageOfValues = db.prepare<[object], ValueRow>(
    `SELECT value, first_seen, last_seen, row_count FROM entity_value WHERE ${valuesWhere}
     ORDER BY value LIMIT @limit OFFSET @offset`,
  );
  const attributes = db.prepare<[], EntityRow>(
    "SELECT * FROM entity WHERE entity_type = 'attribute' ORDER BY entity_id",
  );
  const removeValues = db.prepare(
    'DELETE FROM entity_value WHERE entity_id IN (SELECT entity_id FROM entity WHERE application_id = ?)',
  );
  const removeEntities = db.prepare('DELETE FROM entity WHERE application_id = ?');
  return {
    addEntity: (entity) => insertEntity.run(entity).lastInsertRowid,
    addValue: (entityId, value) => {
      insertValue.run(entityId, value.value, value.first_seen, value.last_seen, value.row_count);
    },
    entities: (query) => {
      const bound = {
        ...query,
        dataTypes: JSON.stringify(query.dataTypes),
        semanticNames: JSON.stringify(query.semanticNames),
      };
      return { items: pageOfEntities.all(bound), total: countEntities.get(bound)?.total ?? 0 };
    },
    values: ({ applicationId, entityType, name, ...query }) => {
      const entity = findEntity.get(applicationId, entityType, name);
      if (entity === undefined) return null;
      const bound = { ...query, entityId: entity.entity_id };
      return { items: pageOfValues.all(bound), total: countValues.get(bound)?.total ?? 0 };
    },
    attributes: () => attributes.all(),
    removeApplication: (applicationId) => {
      removeValues.run(applicationId);
      removeEntities.run(applicationId);
    },
  };
}
