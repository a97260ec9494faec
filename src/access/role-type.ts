/** A user's role in the space (`docs/protocol.md#role`). */
export enum RoleType {
  Administrator = 1,
  NormalUser = 2,
  Reporter = 3,
  Viewer = 4,
  GuestReporter = 5,
  GuestViewer = 6,
}

const { Administrator, NormalUser, Reporter, GuestReporter } = RoleType;

/** The roles that may change the content of a project. */
export const DEVELOPERS: readonly RoleType[] = [Administrator, NormalUser];

/** The roles that may add issues and comments. */
export const CONTRIBUTORS: readonly RoleType[] = [Administrator, NormalUser, Reporter, GuestReporter];

/** The roles of people from outside, who see only those with whom they share a project (`docs/decisions/0053-people.md`). */
const GUESTS: readonly RoleType[] = [GuestReporter, RoleType.GuestViewer];

export const isGuest = ({ roleType }: { roleType: RoleType }): boolean => GUESTS.includes(roleType);

/** Everyone with a valid credential. */
export const EVERYONE: readonly RoleType[] = Object.values(RoleType).filter(
  (role): role is RoleType => typeof role === 'number',
);
