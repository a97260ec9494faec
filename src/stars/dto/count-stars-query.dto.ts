import { DateField } from '../../http/request/fields';

/** The stars of a user to count. */
export class CountStarsQuery {
  @DateField({ description: 'Only stars given on or after this day.', optional: true })
  readonly since?: string;

  @DateField({ description: 'Only stars given on or before this day.', optional: true })
  readonly until?: string;
}
