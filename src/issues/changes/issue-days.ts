import { InvalidRequestError } from '../../errors/domain-errors';

/**
 * Checks that an issue is not due before it begins.
 * @param given the request, whose field is named: the due date if it has one
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
