import { NOT_OF_THE_FAMILY } from '../../src/openapi/not-of-the-family';
import { documentedOperations } from '../support/conformance';
import {
  DOCUMENTED_OPERATIONS,
  type FamilyOperation,
  familyOperationOf,
  IMPORT_OPERATIONS,
  LEGACY_OPERATIONS,
  UNDOCUMENTED_OPERATIONS,
  withoutNames,
} from './documented-operations';

/** Operations of the family that the service does not provide, each with the reason. */
const ABSENT: readonly { operation: FamilyOperation; reason: string }[] = [];

describe('the API of the service', () => {
  const ours = new Set(
    documentedOperations.map(({ method, path }) => withoutNames(`${method.toUpperCase()} ${path}`)),
  );
  const has = (operation: string): boolean => ours.has(withoutNames(operation));

  it('is compared with 152 documented operations of the family, each listed once', () => {
    expect(DOCUMENTED_OPERATIONS).toHaveLength(152);
    expect(new Set(DOCUMENTED_OPERATIONS.map(withoutNames)).size).toBe(152);
  });

  it('has all operations of the family, except those absent for a reason', () => {
    const absent = [...DOCUMENTED_OPERATIONS, ...LEGACY_OPERATIONS].filter((operation) => !has(operation));
    expect(absent.toSorted()).toEqual(ABSENT.map(({ operation }) => operation).toSorted());
    expect(DOCUMENTED_OPERATIONS.filter(has).length).toBeGreaterThanOrEqual(150);
  });

  it('marks exactly the operations of its own in their descriptions', () => {
    const ofFamily = new Set(
      [...DOCUMENTED_OPERATIONS, ...LEGACY_OPERATIONS, ...UNDOCUMENTED_OPERATIONS, ...IMPORT_OPERATIONS].map(
        withoutNames,
      ),
    );
    const unmarked = documentedOperations
      .filter(({ operation: { description = '' } }) => !description.includes(NOT_OF_THE_FAMILY))
      .map(({ method, path }) => withoutNames(`${method.toUpperCase()} ${path}`))
      .filter((operation) => !operation.startsWith('GET /health/'));
    expect(new Set(unmarked)).toEqual(ofFamily);
  });

  it('maps a request to its operation of the family', () => {
    expect(familyOperationOf('GET', 'https://space.example.com/api/v2/users/myself?a=/b')).toBe(
      'GET /users/myself',
    );
    expect(familyOperationOf('PATCH', '/api/v2/projects/A/statuses/updateDisplayOrder')).toBe(
      'PATCH /projects/{projectIdOrKey}/statuses/updateDisplayOrder',
    );
    expect(familyOperationOf('GET', '/api/v2/projects/A/files/metadata/a/b%20c')).toBe(
      'GET /projects/{projectIdOrKey}/files/metadata/{path}',
    );
    expect(familyOperationOf('GET', '/api/v2/groups')).toBeUndefined();
  });
});
