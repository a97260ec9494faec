import { DateField } from '../../http/request/fields';

/** The stars of a user to count. */
export class CountStarsQuery {
  @DateField({ description: 'Only those given on this day or later.', optional: true })
  readonly since?: string;

  @DateField({ description: 'Only those given on this day or earlier.', optional: true })
  readonly until?: string;
}
