// Package tablefile opens one table in any supported file format and reads it as rows of typed
// cells. It handles only files; package schema interprets the cells.
//
// # Formats
//
// The first bytes of a file, not its name, determine its format:
//
//	separated text   comma, semicolon, tab or bar; a line of column names first
//	Parquet          by the logical type of each column, in programs that import data/parquet
//	Arrow, Feather   IPC files and streams
//	xlsx             the first sheet, or the one that is named
//	JSON             objects of plain values: one a line (JSON Lines), or in a list
//
// Text may be compressed by gzip or zstd and encoded as UTF-8, UTF-16 or Windows-1252 (Latin-1). A
// folder of parts, as written by Spark and Hive, is one table; a folder named COLUMN=VALUE adds a
// column. The error for a known but unsupported format names the format and a way to convert it.
//
// # Empty columns and rows
//
// Columns without a name and without values, as spreadsheets and data frames leave them, are left
// out with a note; so are rows without any value. If two columns have the same name, the second
// gets the suffix ".1", as in pandas.
//
// Errors are *data.ParseError with the file, the line and the column. A data.Budget limits the
// memory of reading.
package tablefile
