import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SENTENCE } from '../support/seed-database';
import { type MoveSizes } from './population';

const PEOPLE = 50;
const HOUR_MS = 3_600_000;
const START = Date.UTC(2020, 0, 1);

/**
 * Writes a CSV file of issues with comments, such as another tracker exports, and its map.
 * @param key of its project
 * @returns them as `pms import` takes them
 */
export async function writeCsv(
  folder: string,
  key: string,
  { issues, comments }: MoveSizes,
): Promise<string[]> {
  const file = join(folder, `${key}.csv`);
  const map = join(folder, `${key}.yaml`);
  const output = createWriteStream(file);
  const remarks = Array.from({ length: comments }, () => 'Remark');
  output.write(`Number,Title,Text,State,Reporter,Owner,Opened,Tags,${remarks.join(',')}\n`);
  for (let number = 1; number <= issues; number++) {
    const opened = START + (number % 50_000) * HOUR_MS;
    const cells = [
      number,
      `Issue ${number}`,
      `"${SENTENCE.repeat(1 + (number % 8))}"`,
      number % 3 === 0 ? 'Done' : 'Open',
      `person${number % PEOPLE}`,
      `person${(number + 1) % PEOPLE}`,
      timeText(opened),
      `Tag ${number % 20}`,
      ...remarks.map((_, index) => {
        const time = timeText(opened + (index + 1) * HOUR_MS);
        return `"${time} | person${(number + index) % PEOPLE} | Remark ${index}: ${SENTENCE}"`;
      }),
    ];
    if (!output.write(`${cells.join(',')}\n`)) await once(output, 'drain');
  }
  output.end();
  await once(output, 'close');
  await writeFile(map, mapOf(key));
  return [`csv:${file}`, '--map', map];
}

const timeText = (time: number): string => new Date(time).toISOString().slice(0, 16).replace('T', ' ');

const mapOf = (key: string): string => `version: 1
project: { key: ${key}, name: Imported ${key} }
columns:
  Number: number
  Title: summary
  Text: description
  State: status
  Reporter: creator
  Owner: assignee
  Opened: created
  Tags: { field: categories, separator: ';' }
  Remark: { field: comment, pattern: '{time} | {author} | {text}' }
values:
  status: { Done: Closed }
`;
