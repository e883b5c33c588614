package tablefile

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// checkFields returns an error with the names of columns that cannot become columns of a table.
func checkFields(f *file, fields []arrow.Field) error {
	for _, field := range fields {
		if what := notRead(field.Type, f.options.ListsAsText); what != "" {
			return f.failed(fmt.Sprintf("column %q is %s, which is not read: select plain columns, in Python table.drop([%q]) or dataframe.drop(columns=[%q])",
				field.Name, what, field.Name, field.Name), nil)
		}
	}
	return nil
}

// notRead names an unsupported type, "" for a supported type.
func notRead(t arrow.DataType, listsAsText bool) string {
	switch t.ID() {
	case arrow.STRUCT:
		return "a struct"
	case arrow.MAP:
		return "a map"
	case arrow.SPARSE_UNION, arrow.DENSE_UNION:
		return "a union"
	case arrow.INTERVAL_MONTHS, arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO:
		return "an interval"
	case arrow.RUN_END_ENCODED:
		return "encoded by runs"
	case arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW:
		return "a view of lists"
	case arrow.DICTIONARY:
		return notRead(t.(*arrow.DictionaryType).ValueType, listsAsText)
	case arrow.EXTENSION:
		return notRead(t.(arrow.ExtensionType).StorageType(), listsAsText)
	case arrow.LIST, arrow.LARGE_LIST, arrow.FIXED_SIZE_LIST:
		return nestedList(t, listsAsText)
	}
	return ""
}

// nestedList names an unsupported list; lists of lists are supported as text.
func nestedList(t arrow.DataType, listsAsText bool) string {
	item := itemType(t)
	switch {
	case isList(item) && !listsAsText:
		return "a list of lists"
	case isList(item) && isList(itemType(item)):
		return "a list of lists of lists"
	case isList(item):
		item = itemType(item)
	}
	switch item.ID() {
	case arrow.DICTIONARY, arrow.EXTENSION: // may be of lists
		if s, ok := item.(arrow.ExtensionType); ok && isList(s.StorageType()) {
			return "a list of lists"
		}
		if d, ok := item.(*arrow.DictionaryType); ok && isList(d.ValueType) {
			return "a list of lists"
		}
	}
	if what := notRead(item, listsAsText); what != "" {
		return "a list whose items are each " + what
	}
	return ""
}
