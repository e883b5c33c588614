package tablefile

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// PartColumn is the column of a folder with a file for each part of a split: the part of the row.
const PartColumn = "part"

// splitPart matches the name of a file of a part, without its extensions: wn-train, validation-00000-of-00001.
var splitPart = regexp.MustCompile(`(?i)^(.*[-_.])?(train|training|valid|validation|dev|val|test|testing)(-\d+-of-\d+)?$`)

// partNames are the parts of a split, by the words for them in file names and cells.
var partNames = map[string]string{
	"train": "train", "training": "train",
	"valid": "valid", "validation": "valid", "dev": "valid", "val": "valid",
	"test": "test", "testing": "test",
}

// PartNamed is the part of a split, "train", "valid" or "test", that a word names in any case; empty for other words.
func PartNamed(word string) string { return partNames[strings.ToLower(word)] }

// SplitPart returns the part of a split, "train", "valid" or "test", in the name of a file without extensions, and the
// text before it; the part is empty for other names.
func SplitPart(stem string) (part, prefix string) {
	m := splitPart.FindStringSubmatch(stem)
	if m == nil {
		return "", ""
	}
	return PartNamed(m[2]), m[1]
}

// IsSplit reports whether a path of the operating system is a folder with a file for each part of a split, such as
// train.csv, valid.csv and test.csv.
func IsSplit(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir() && splitFiles(os.DirFS(name), ".") != nil
}

// stemOf is the name of a file without the extensions of its compression and format.
func stemOf(name string) string {
	for _, endings := range [][]string{packedEndings, tableEndings} {
		if e := path.Ext(name); slices.Contains(endings, strings.ToLower(e)) {
			name = strings.TrimSuffix(name, e)
		}
	}
	return name
}

// splitFiles returns the parts of the files of a folder that has a table for each part of a split (at least for
// training and another part) and no other table; nil for other folders.
func splitFiles(fsys fs.FS, dir string) map[string]string {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil
	}
	of, has := map[string]string{}, map[string]bool{}
	for _, e := range entries {
		if hidden(e.Name()) || ending(e.Name()) == "" || e.IsDir() {
			continue
		}
		part, _ := SplitPart(stemOf(e.Name()))
		if part == "" {
			return nil
		}
		of[e.Name()], has[part] = part, true
	}
	if !has["train"] || len(has) < 2 {
		return nil
	}
	return of
}
