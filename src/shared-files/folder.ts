/** In the place of a folder's id: the project's top folder, which has no row. */
export const TOP_FOLDER = 0;
