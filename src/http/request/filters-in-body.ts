import { SetMetadata } from '@nestjs/common';

const FILTERS_IN_BODY = Symbol('filters in a body');

/**
 * A list or count whose query parameters may also come as the form body of the GET, as an example of the family's documentation has
 * them. No other GET reads a body.
 */
export const FiltersInBody = (): MethodDecorator => SetMetadata(FILTERS_IN_BODY, true);

/** Whether a handler is marked so. */
export const takesFiltersInBody = (handler: object): boolean => Reflect.hasMetadata(FILTERS_IN_BODY, handler);
