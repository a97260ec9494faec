import { type UserDto } from './dto/user.dto';

/** Resources that have been read except for their users, so that those of a whole response are read in one statement. */
export interface WithoutUsers<Built> {
  userIds: readonly number[];
  /** Builds the resources from their users, by id. */
  build: (users: ReadonlyMap<number, UserDto>) => Built;
}

/** Converts what will be built. */
export const builtAs = <From, To>(
  { userIds, build }: WithoutUsers<From>,
  convert: (built: From) => To,
): WithoutUsers<To> => ({ userIds, build: (users) => convert(build(users)) });

/** Wraps what is built already. */
export const withAllUsers = <Built>(built: Built): WithoutUsers<Built> => ({
  userIds: [],
  build: () => built,
});
