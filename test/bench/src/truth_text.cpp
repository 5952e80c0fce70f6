/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that use templates of the standard library: regular expressions, JSON, maps of
 * strings.
 */
#include "truth.h"

#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>

static const std::string text = [] {
	std::string made;

	for (int i = 0; i < 16; i++)
		made += "GET /notes/" + std::to_string(i * 7919) + " HTTP/1.1 200 key" +
			std::to_string(i) + "=value; ";
	return made;
}();

extern "C" long match_text()
{
	static const std::regex pattern("([a-z]+)([0-9]+)=([a-z]+);");
	long found = 0;

	for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
		found += at->position();
	return found;
}

extern "C" long count_words()
{
	std::map<std::string, int> words;
	std::istringstream in(text);
	std::string word;

	while (in >> word)
		++words[word];
	return (long)words.size();
}

struct Value {
	std::string string;
	std::vector<std::unique_ptr<Value>> items;
	std::map<std::string, std::unique_ptr<Value>> members;
};

struct Parser {
	std::string::const_iterator at, end;

	char next() { return at == end ? '\0' : *at++; }
	char peek() const { return at == end ? '\0' : *at; }
	std::string string()
	{
		std::string made;

		next();
		while (peek() != '"')
			made.push_back(next());
		next();
		return made;
	}
	std::unique_ptr<Value> value()
	{
		auto made = std::make_unique<Value>();

		if (peek() == '"') {
			made->string = string();
		} else if (next() == '[') {
			for (; peek() != ']'; peek() == ',' ? next() : 0)
				made->items.push_back(value());
			next();
		} else {
			for (; peek() != '}'; peek() == ',' ? next() : 0) {
				std::string name = string();

				next();
				made->members[name] = value();
			}
			next();
		}
		return made;
	}
};

static const std::string json = [] {
	std::string made = "[";

	for (int i = 0; i < 24; i++)
		made += std::string(i ? "," : "") + "{\"id\":\"" + std::to_string(i) +
			"\",\"tags\":[\"a\",\"bc\",\"def\"],\"body\":\"some words of text\"}";
	return made + "]";
}();

extern "C" long parse_json()
{
	Parser parser = { json.begin(), json.end() };

	return (long)parser.value()->items.size();
}

static void print(const Value &value, std::string &to)
{
	to += '{';
	for (const auto &member : value.members) {
		to += '"' + member.first + "\":";
		print(*member.second, to);
	}
	for (const auto &item : value.items)
		print(*item, to);
	to += '"' + value.string + "\"}";
}

extern "C" long print_json()
{
	static const std::unique_ptr<Value> value = [] {
		Parser parser = { json.begin(), json.end() };

		return parser.value();
	}();
	std::string made;

	print(*value, made);
	return (long)made.size();
}

int main(int, char **argv)
{
	return measure_truth({ { "match_text", match_text, {} },
			       { "count_words", count_words, {} },
			       { "parse_json", parse_json, {} },
			       { "print_json", print_json, {} } },
			     atoi(argv[1]));
}
