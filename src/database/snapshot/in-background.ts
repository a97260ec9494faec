import { loopTurns } from '../../event-loop/loop-turns';

/** Yields the same rows and lets the event loop do everything else in between. */
export async function* inBackground<Row>(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<Row> {
  for await (const row of rows) {
    yield row;
    const pause = loopTurns.pauseInBackground();
    if (pause) await pause;
  }
}
