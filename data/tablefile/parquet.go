package tablefile

// beginParquet starts to read the table of a Parquet file; nil if no package for Parquet is linked.
var beginParquet func(*TypedFile) (TypedTable, error)

// RegisterParquet sets the reader of Parquet. Package data/parquet calls it, because its decoder
// makes a program much larger.
func RegisterParquet(begin func(*TypedFile) (TypedTable, error)) { beginParquet = begin }

// openParquet reads a Parquet file.
func openParquet(f *file) (Reader, error) {
	if beginParquet == nil {
		return nil, f.failed("is a Parquet file, which this program does not read: it does not import the package data/parquet", nil)
	}
	return openTyped(f, "Parquet", beginParquet)
}
