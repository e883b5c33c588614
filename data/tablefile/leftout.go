package tablefile

import "fmt"

// Left is a column of a file that its reader leaves out of the table.
type Left struct {
	At   int    // index in the file, from 0
	Name string // empty for none
	Why  string // "counts the rows"
}

// Reasons why columns are left out.
const (
	isVacant    = "has no name and no value"
	isCounting  = "counts the rows, like the index of a data frame"
	isPartIndex = "is an index of pandas, which numbers the rows of the parts"
	isRowName   = "has no name in the header, which has one name fewer than the rows have values, like row names of R"
)

func (l Left) String() string {
	if l.Name == "" {
		return fmt.Sprintf("column %d %s", l.At+1, l.Why)
	}
	return fmt.Sprintf("column %q %s", l.Name, l.Why)
}

// LeftOut lists the file columns that a reader leaves out of the table, in order. The list is
// complete after Next has returned io.EOF.
func LeftOut(r Reader) []Left {
	if x, ok := r.(interface{ leftOut() []Left }); ok {
		return x.leftOut()
	}
	return nil
}

func (t *tidy) leftOut() []Left { return t.layout.left }

func (r *typedRows) leftOut() []Left { return r.left }

// leftOut returns those of the part that the columns come from.
func (r *folderRows) leftOut() []Left { return r.left }
