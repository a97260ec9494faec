/** What the description of an operation says that only this service has. */
export const NOT_OF_THE_FAMILY = 'Not part of the API family.';
