package model

import (
	"fmt"
	"reflect"
	"strings"
)

// A field is one setting in the typed config of a model.
type field struct {
	name      string // name in JSON
	omitEmpty bool
	place     any // *int, *float64, *bool or *string
}

// fieldsOf lists the settings of a config given by a pointer: its fields with a name in JSON,
// including those of embedded structs. Any other value has no settings.
func fieldsOf(part any) []field {
	v := reflect.ValueOf(part)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return nil
	}
	return appendFields(nil, v.Elem())
}

func appendFields(out []field, v reflect.Value) []field {
	for i := range v.NumField() {
		tag, tagged := v.Type().Field(i).Tag.Lookup("json")
		name, option, _ := strings.Cut(tag, ",")
		switch {
		case v.Type().Field(i).Anonymous && !tagged:
			out = appendFields(out, v.Field(i))
		case tagged && name != "-":
			out = append(out, field{name, option == "omitempty", v.Field(i).Addr().Interface()})
		}
	}
	return out
}

// isZero reports whether the field holds the zero value.
func (f field) isZero() bool { return reflect.ValueOf(f.place).Elem().IsZero() }

// setDefault sets the field if it is zero. It panics if the value has another type.
func (f field) setDefault(value any) {
	to, v := reflect.ValueOf(f.place).Elem(), reflect.ValueOf(value)
	if v.Type() != to.Type() {
		panic(fmt.Sprintf("model: %s is of type %s, not %s", f.name, to.Type(), v.Type()))
	}
	if to.IsZero() {
		to.Set(v)
	}
}
