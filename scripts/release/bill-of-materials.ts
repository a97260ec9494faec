import { createHash } from 'node:crypto';

/** A licence in CycloneDX: an SPDX id, an SPDX expression, or a name. */
interface Licence {
  license?: { id?: string; name?: string };
  expression?: string;
}

interface Component {
  name: string;
  version: string;
  licenses?: Licence[];
  hashes?: { alg: string; content: string }[];
}

/** What `npm sbom --sbom-format cyclonedx` prints, as far as it is used here. */
export interface BillOfMaterials {
  serialNumber: string;
  metadata: { timestamp: string; component: Component };
  components: Component[];
}

/**
 * A bill of materials of one package, without what differs from run to run.
 * @param digest the SHA-256 of the package, in hexadecimal
 */
export function describePackage(
  bill: BillOfMaterials,
  { digest, date }: { digest: string; date: string },
): BillOfMaterials {
  const { component } = bill.metadata;
  return {
    ...bill,
    serialNumber: `urn:uuid:${uuidOf(digest)}`,
    metadata: {
      ...bill.metadata,
      timestamp: `${date}T00:00:00.000Z`,
      component: { ...component, hashes: [{ alg: 'SHA-256', content: digest }] },
    },
  };
}

/** A UUID of version 8, which is the same for the same text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/**
 * A line for each component with its version and licence, in the order of their names.
 * @throws Error when a component states none
 */
export function licenceLines({ components }: BillOfMaterials): string[] {
  const rows = components.map(({ name, version, licenses = [] }) => ({
    component: `${name} ${version}`,
    licence: licenses
      .map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '')
      .filter((licence) => licence !== '')
      .join(' AND '),
  }));
  const silent = rows.filter(({ licence }) => licence === '').map(({ component }) => component);
  if (silent.length > 0) throw new Error(`No licence is stated by ${silent.join(', ')}.`);
  return rows.map(({ component, licence }) => `${component}: ${licence}`).sort();
}
