package graphfile

import (
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
)

// valueKind is the type that GraphML or GEXF gives to an attribute.
type valueKind uint8

const (
	textValue valueKind = iota
	integerValue
	numberValue
	booleanValue
)

// kinds are the types by their names in GraphML and GEXF. Others, as lists, are read as text.
var kinds = map[string]valueKind{
	"boolean": booleanValue,
	"int":     integerValue, "integer": integerValue, "long": integerValue, "short": integerValue,
	"byte": integerValue, "biginteger": integerValue,
	"float": numberValue, "double": numberValue, "bigdecimal": numberValue,
}

// typed reads a value of a type; false where the text is no such value. Blanks around a value are
// ignored, but for texts.
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
