import { InvalidRequestError } from '../../errors/domain-errors';

/**
 * Checks that an issue is not due before its start date.
 * @param given the fields of the request; the error names the due date if it is present, else the start date
 * @throws InvalidRequestError
 */
export function checkDays(
  given: { startDate?: string | null; dueDate?: string | null },
  { startDate = null, dueDate = null } = given,
): void {
  if (startDate === null || dueDate === null || startDate <= dueDate) return;
  const field = given.dueDate == null ? 'startDate' : 'dueDate';
  throw InvalidRequestError.of(field, 'The due date must not be before the start date.');
}
