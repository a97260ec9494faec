import { MetricsEndpointService } from '../../src/metrics/metrics-endpoint.service';
import { type World } from './world';

/** One scrape: samples by name with labels, as in `pms_uploads_total{result="success"}`. */
export type Samples = ReadonlyMap<string, number>;

/** Parses the samples of a text in Prometheus's format. */
function parseSamples(text: string): Samples {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

/** Reads the metrics of a service from its metrics port. */
export async function scrape(world: World): Promise<Samples> {
  const response = await fetch(`http://127.0.0.1:${world.service(MetricsEndpointService).port}/metrics`);
  if (response.status !== 200) throw new Error(`The scrape was answered ${response.status}.`);
  return parseSamples(await response.text());
}
