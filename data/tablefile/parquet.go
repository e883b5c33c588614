package tablefile

// beginParquet begins to read the table of a Parquet file; nil where no package does.
var beginParquet func(*TypedFile) (TypedTable, error)

// RegisterParquet says how Parquet is read. Package data/parquet calls it, as its decoder is a large
// part of a program.
func RegisterParquet(begin func(*TypedFile) (TypedTable, error)) { beginParquet = begin }

// openParquet reads a Parquet file.
func openParquet(f *file) (Reader, error) {
	if beginParquet == nil {
		return nil, f.failed("is a Parquet file, which this program does not read: it does not import the package data/parquet", nil)
	}
	return openTyped(f, "Parquet", beginParquet)
}
