import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { parse } from 'yaml';
import { createInstruments } from './instruments';

const read = (path: string): string => readFileSync(join(__dirname, '../..', path), 'utf8');

interface Board {
  panels: { title: string; type: string; targets?: { expr: string }[] }[];
}

interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
}

/** Properties of a metric in prom-client that its types omit. */
interface Metric {
  name: string;
  labelNames: string[];
}

/** Labels that Prometheus adds, and the label of histogram buckets. */
const SCRAPE_LABELS = ['instance', 'job', 'le'];

describe('the monitoring configuration', () => {
  let metrics: Map<string, Metric>;
  /** The metrics by the names of their samples: a histogram has three. */
  let bySample: Map<string, Metric>;

  beforeAll(async () => {
    const registry = new Registry();
    createInstruments(registry);
    collectDefaultMetrics({ register: registry });
    const types = new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]));
    metrics = new Map(
      registry.getMetricsAsArray().map((metric) => [metric.name, metric as unknown as Metric]),
    );
    bySample = new Map(
      [...metrics].flatMap(([name, metric]) =>
        types.get(name) === 'histogram'
          ? ['bucket', 'sum', 'count'].map((suffix) => [`${name}_${suffix}`, metric] as const)
          : [[name, metric] as const],
      ),
    );
  });

  const board = JSON.parse(read('docs/monitoring/grafana-dashboard.json')) as Board;
  const rules = (parse(read('docs/monitoring/alerts.yml')) as Rules).groups.flatMap((group) => group.rules);
  const ofBoard = board.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr] as const),
  );
  const ofAlerts = rules.map(({ alert, expr }) => [alert, expr] as const);

  it.each([...ofBoard, ...ofAlerts])('uses existing metrics in %s: %s', (_title, expression) => {
    const names = [...expression.matchAll(/\b(?:pms|nodejs|process)_\w+/g)].map(([name]) => name);
    const unknown = names.filter((name) => !bySample.has(name));
    expect({ unknown, isAny: names.length > 0 || expression.startsWith('up{') }).toEqual({
      unknown: [],
      isAny: true,
    });
  });

  it.each([...ofBoard, ...ofAlerts])('uses existing labels in %s: %s', (_title, expression) => {
    const names = expression.match(/\b(?:pms|nodejs|process)_\w+/g) ?? [];
    const known = new Set([
      ...SCRAPE_LABELS,
      ...names.flatMap((name) => bySample.get(name)?.labelNames ?? []),
    ]);
    const asked = [
      ...[...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', ')),
      ...[...expression.matchAll(/([a-z_]+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label),
    ];
    expect(asked.filter((label) => !known.has(label))).toEqual([]);
  });

  it('covers and documents every metric of the service', () => {
    const operate = read('docs/operate.md');
    const asked = [...ofBoard, ...ofAlerts].map(([, expression]) => expression).join('\n');
    for (const name of metrics.keys()) {
      if (!name.startsWith('pms_')) continue;
      expect({ name, isAsked: asked.includes(name) }).toEqual({ name, isAsked: true });
      expect({ name, isDescribed: operate.includes(`\`${name}\``) }).toEqual({ name, isDescribed: true });
    }
    for (const [, name = ''] of operate.matchAll(/`(pms_\w+)`/g)) {
      expect({ name, isKnown: metrics.has(name) }).toEqual({ name, isKnown: true });
    }
  });

  it('gives every alert a summary and a description', () => {
    for (const { alert, annotations } of rules) {
      expect({ alert, keys: Object.keys(annotations).sort() }).toEqual({
        alert,
        keys: ['description', 'summary'],
      });
    }
  });
});
