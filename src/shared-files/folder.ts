/** The folder id that stands for the project's top folder, which has no row. */
export const TOP_FOLDER = 0;
