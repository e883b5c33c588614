package tablefile

import (
	"io/fs"

	"github.com/ehgnn/ehgnn/data"
)

func openParquet(f *file) (Reader, error) { return nil, f.failed("Parquet is not read yet", nil) }

func openArrow(f *file) (Reader, error) { return nil, f.failed("Arrow is not read yet", nil) }

func openFolder(fsys fs.FS, dir string, b *data.Budget, o Options) (Reader, error) {
	return nil, &data.ParseError{File: dir, Msg: "a folder is not read yet"}
}

func isFolderOfParts(fsys fs.FS, dir string) bool { return false }
