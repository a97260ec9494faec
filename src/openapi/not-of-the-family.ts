/** Part of an operation's description that marks it as specific to this service. */
export const NOT_OF_THE_FAMILY = 'Not part of the API family.';
