import { type Measurement } from '../support/load';
import { table } from '../support/table';
import { IDIOMS, type VariantName, VARIANT_NAMES } from './idioms';
import { type EdgeResults } from './measure';

const LABELS: Record<VariantName, string> = { service: 'nothing', ...IDIOMS, all: 'all of them' };

/** Returns one row for each variant: requests per second, and their ratio to the service's. */
export const toMarkdown = ({ statuses, comments }: EdgeResults): string =>
  table(
    ['put back', 'statuses, req/s', 'of the service', '20 comments, req/s', 'of the service'],
    VARIANT_NAMES.map((name) => [LABELS[name], ...cells(statuses, name), ...cells(comments, name)]),
  );

const cells = (measured: Record<VariantName, Measurement>, name: VariantName): string[] => [
  Math.round(measured[name].requestsPerSecond).toLocaleString('en'),
  `${((measured[name].requestsPerSecond / measured.service.requestsPerSecond) * 100).toFixed(0)} %`,
];
