/** A row that names users. */
interface NamingUsers {
  createdUserId?: number;
  updatedUserId?: number;
  assigneeId?: number | null;
  presenterId?: number;
}

/** Returns the ids of the users that rows name. */
export const userIdsIn = (...lists: readonly (readonly NamingUsers[])[]): number[] =>
  lists
    .flat()
    .flatMap((row) => [row.createdUserId, row.updatedUserId, row.assigneeId, row.presenterId])
    .filter((id) => id != null);
