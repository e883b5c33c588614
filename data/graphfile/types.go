package graphfile

import (
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
)

// valueKind is the type of an attribute in GraphML or GEXF.
type valueKind uint8

const (
	textValue valueKind = iota
	integerValue
	numberValue
	booleanValue
)

// kinds has the types by their names in GraphML and GEXF. Other types, such as lists, are read as
// text.
var kinds = map[string]valueKind{
	"boolean": booleanValue,
	"int":     integerValue, "integer": integerValue, "long": integerValue, "short": integerValue,
	"byte": integerValue, "biginteger": integerValue,
	"float": numberValue, "double": numberValue, "bigdecimal": numberValue,
}

// typed reads a value of a type. It returns false if the text is not such a value. Blanks around a
// value are ignored, except in texts.
func typed(kind valueKind, text string) (schema.Cell, bool) {
	if kind == textValue {
		return schema.TextCell(text), true
	}
	if text = strings.TrimSpace(text); text == "" {
		return schema.Cell{}, true
	}
	switch kind {
	case integerValue:
		return integerCell(text)
	case numberValue:
		return numberCell(text)
	}
	return booleanCell(text)
}

func (k valueKind) String() string {
	return [...]string{"text", "a whole number", "a number", "true or false"}[k]
}
