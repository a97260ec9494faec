import { type Environment } from '../../config/environment';
import { type ArchiveBuilder } from '../archive-builder';
import { type SourcePeople } from '../people';
import { type CsvMap } from './csv-map';
import { type CsvPeople } from './csv-people';
import { type Survey } from './survey';
import { type ValueReader } from './values';

/** What the second reading of the files needs. */
export interface IssueContext {
  builder: ArchiveBuilder;
  map: CsvMap;
  environment: Environment;
  survey: Survey;
  people: CsvPeople;
  /** Has the author of what has none. */
  others: SourcePeople;
  values: ValueReader;
  /** That of the files: of issues without a time. */
  time: number;
}
